-- Append actions to a game's log if the game and its whole log are those that the caller read.
-- Comparing the length would not be enough: after a failover the log may be a different one. Nor
-- would the key: an expired game may have been created again with its idempotency key.
-- KEYS: game. ARGV: seed, time of creation, log, actions, milliseconds to live (0: for ever).
-- Returns {1, time of the move, time of expiry}, or {0, the stored hash (empty: none)}.
local game = redis.call('HMGET', KEYS[1], 's', 'c', 'a')
if game[1] ~= ARGV[1] or game[2] ~= ARGV[2] or (game[3] or '') ~= ARGV[3] then
  return {0, redis.call('HGETALL', KEYS[1])}
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local updated = string.format('%.0f', now)
local expires = ARGV[5] == '0' and '0' or string.format('%.0f', now + ARGV[5])
-- The log first: a full store refuses only the first write of a script.
redis.call('HSET', KEYS[1], 'a', ARGV[3] .. ARGV[4], 'u', updated, 'x', expires)
if expires == '0' then
  redis.call('PERSIST', KEYS[1])
else
  redis.call('PEXPIREAT', KEYS[1], expires)
end
return {1, updated, expires}
