-- Sends the requests of a file in turn, and prints what came of them as JSON.
-- A line of the file is a method, a path and a body (which may be missing), between single spaces.
-- The address comes from wrk's own command line, the file from the argument behind it.
local requests, asked = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%S+) (%S+) ?(.*)$')
    local headers = body ~= '' and { ['Content-Type'] = 'application/json' } or {}
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= '' and body or nil)
  end
end

-- wrk asks once before it begins and sends nothing of that, so the first request comes twice. If
-- they run out, the last one comes again and again.
function request()
  asked = asked + 1
  return requests[math.max(1, math.min(asked - 1, #requests))]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "p50": %.0f, "p99": %.0f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
