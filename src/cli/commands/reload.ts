import { Command } from 'commander'
import { socketPath } from '../../admin/control/control-client.ts'
import { connectServer } from '../connect/admin-client.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { print } from '../terminal/output.ts'

/** The command `dhole reload`. @see docs/how-to/certificates.md */
export function reloadCommand(): Command {
  return new Command('reload')
    .description('make the running server look for a new certificate, like SIGHUP')
    .addOption(dataDirOption())
    .action(reload)
}

async function reload({ dataDir }: { readonly dataDir: string }): Promise<void> {
  if (socketPath(dataDir) === undefined) {
    throw new Error(`the path of ${dataDir} is too long for a socket: send the server SIGHUP`)
  }
  const server = await connectServer(dataDir)
  if (server === undefined) throw new Error(`no server answers in ${dataDir}`)
  print(await server.call('reload', {}))
}
