-- Note a game as pending now, by the store's clock, or move its note to the end.
-- KEYS: pending. ARGV: game id.
local time = redis.call('TIME')
return redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
