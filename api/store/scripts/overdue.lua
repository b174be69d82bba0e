-- Return the games that have been pending for longer than a grace period, the oldest first.
-- KEYS: pending. ARGV: grace period in milliseconds, most to return.
local time = redis.call('TIME')
local due = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1]
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', due, 'LIMIT', 0, ARGV[2])
