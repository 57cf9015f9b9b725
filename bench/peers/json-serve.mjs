/** The process of json-server, for the runtime it is made for: file of the lists, port, lifetime in ms. */
const [file, port, lifetime] = process.argv.slice(2)
setTimeout(() => process.exit(1), Number(lifetime))
// Its own command, without a log of requests.
process.argv.splice(2, 3, '--quiet', '--host', '127.0.0.1', '--port', port, file)
await import('json-server/lib/cli/bin.js')
