-- Write a game's log again if the game and its log are those that the caller read. WAIT only waits
-- for the writes of its own connection, so there must be one.
-- KEYS: game. ARGV: seed, log. Returns 1, or 0 if the stored game is another.
local game = redis.call('HMGET', KEYS[1], 's', 'a')
if game[1] ~= ARGV[1] or game[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], 'a', ARGV[2])
return 1
