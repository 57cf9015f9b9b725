/** Ends with status 0 when the server on this machine says that it is alive, else with 1. */
const { HOST = '127.0.0.1', PORT = '8443' } = process.env
const TIMEOUT_MS = 5000
const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])
const OK = 200

try {
  const reply = await fetch(`https://${EVERYWHERE.get(HOST) ?? HOST}:${PORT}/health`, {
    // Its certificate is for others: whom we ask is this very machine.
    tls: { rejectUnauthorized: false },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (reply.status !== OK) throw new Error(`status ${reply.status}`)
} catch (error) {
  process.stderr.write(`not healthy: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
