-- Sends the requests of a file in order, and prints the outcome as JSON.
-- Arguments: the file, the number of threads, and `once` or `repeat`.
-- A line of the file is a method, a path and an optional body, separated by single spaces.
-- Each thread has one connection, and its own games: all requests of a game go to one thread.
local JSON = { ['Content-Type'] = 'application/json' }
-- Sent when the requests have run out; the response is an error, so the run fails.
local RUN_OUT = wrk.format('POST', '/v1/games/none/actions', JSON, '{"version":1,"actions":["draw"]}')

local threads_started = 0
local requests, repeated, sent = {}, false, 0

function setup(thread)
  thread:set('number', threads_started)
  threads_started = threads_started + 1
end

function init(args)
  local all, threads, thread_of, games = {}, tonumber(args[2]), {}, 0
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%S+) (%S+) ?(.*)$')
    if body == '' then body = nil end
    all[#all + 1] = wrk.format(method, path, body and JSON or {}, body)
    local game = path:match('^/v1/games/([^/]+)') or #all
    if not thread_of[game] then
      thread_of[game] = games % threads
      games = games + 1
    end
    if thread_of[game] == number then requests[#requests + 1] = all[#all] end
  end
  repeated = args[3] == 'repeat'
  if repeated and #requests == 0 then requests = all end
  -- Before the run wrk calls request() once on the first thread and discards the result.
  if number == 0 then sent = -1 end
end

function request()
  sent = sent + 1
  local place = math.max(1, sent)
  return requests[repeated and (place - 1) % #requests + 1 or place] or RUN_OUT
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "p50": %.0f, "p99": %.0f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
