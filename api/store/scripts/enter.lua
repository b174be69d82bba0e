-- Enter a finished game on a board. Repeating it changes nothing.
-- KEYS: board. ARGV: member, time at which the board expires at the earliest (0: never).
redis.call('ZADD', KEYS[1], 0, ARGV[1])
if ARGV[2] ~= '0' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local left = redis.call('PTTL', KEYS[1])
  if now + left < tonumber(ARGV[2]) then
    redis.call('PEXPIREAT', KEYS[1], ARGV[2])
  end
end
return 1
