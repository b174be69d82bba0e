-- Create a game unless its key is taken.
-- KEYS: game. ARGV: milliseconds to live, then the fields and values of the new game.
-- Returns {1 if it was created else 0, the stored hash}.
local created = 0
if redis.call('EXISTS', KEYS[1]) == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local expires = string.format('%.0f', now + ARGV[1])
  now = string.format('%.0f', now)
  redis.call('HSET', KEYS[1], 'c', now, 'u', now, 'x', expires, unpack(ARGV, 2))
  redis.call('PEXPIREAT', KEYS[1], expires)
  created = 1
end
return {created, redis.call('HGETALL', KEYS[1])}
