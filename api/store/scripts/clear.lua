-- Clear a board, and note when: games that ended before then are not added again.
-- KEYS: board, time of its clearing. ARGV: milliseconds to keep the note (0: for ever).
-- Returns how many games were on the board.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('SET', KEYS[2], now)
if ARGV[1] ~= '0' then
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
local total = redis.call('ZCARD', KEYS[1])
redis.call('UNLINK', KEYS[1])
return total
