-- Write a game's log once more, if this is the game and its log that the caller knows: what waits
-- for replicas waits for the writes of its own connection alone.
-- KEYS: game. ARGV: seed, log. Returns 1, or 0 if it is another by now.
local game = redis.call('HMGET', KEYS[1], 's', 'a')
if game[1] ~= ARGV[1] or game[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], 'a', ARGV[2])
return 1
