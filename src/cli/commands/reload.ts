import { Command, Option } from 'commander'
import { socketPath } from '../../admin/control/command.ts'
import { connect } from '../../admin/control/control-client.ts'
import { print } from '../terminal/output.ts'

/** The command `dhole reload`. @see docs/how-to/certificates.md */
export function reloadCommand(): Command {
  return new Command('reload')
    .description('make the running server look for a new certificate, like SIGHUP')
    .addOption(new Option('--data-dir <folder>', 'folder of the server').env('DATA_DIR').default('./data'))
    .action(reload)
}

async function reload({ dataDir }: { readonly dataDir: string }): Promise<void> {
  const path = socketPath(dataDir)
  if (path === undefined) throw new Error(`the path of ${dataDir} is too long for a socket: send the server SIGHUP`)
  const server = await connect(path)
  if (server === undefined) throw new Error(`no server answers in ${dataDir}`)
  print(await server.reload())
}
