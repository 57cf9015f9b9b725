/** The process of acebase-server, for the runtime it is made for: name of the database, its folder, port, lifetime in ms. */
import acebase from 'acebase-server'

const [name, dataDir, port, lifetime] = process.argv.slice(2)
setTimeout(() => process.exit(1), Number(lifetime))
new acebase.AceBaseServer(name, {
  logLevel: 'error',
  host: '127.0.0.1',
  port: Number(port),
  path: dataDir,
  authentication: { enabled: false },
})
