-- Add a finished game to a board, unless the board was cleared since. Repeating it is harmless.
-- KEYS: board, time of its clearing. ARGV: member, earliest time for the board to expire
-- (0: never), time of the finish.
-- Returns 1 if the game was not on the board and now is, else 0.
local cleared = redis.call('GET', KEYS[2])
if cleared and tonumber(ARGV[3]) <= tonumber(cleared) then
  return 0
end
local added = redis.call('ZADD', KEYS[1], 0, ARGV[1])
if ARGV[2] ~= '0' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 or now + left < tonumber(ARGV[2]) then
    redis.call('PEXPIREAT', KEYS[1], ARGV[2])
  end
end
return added
