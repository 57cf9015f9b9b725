import {
  type Administration,
  type DefaultApplication,
  FileAdministration,
  fixedKeys,
} from '../../admin/administration.ts'
import { socketPath } from '../../admin/control/command.ts'
import { connect } from '../../admin/control/control-client.ts'
import { defaultId } from './default-id.ts'

/**
 * Whoever can change the applications of a folder: the server that runs on it, or the files themselves.
 * @throws Error when a server is there and does not answer
 */
export async function administrationOf(dataDir: string): Promise<Administration> {
  const path = socketPath(dataDir)
  if (path === undefined) {
    process.stderr.write(
      'dhole: the path of the folder is too long to reach a server: one that runs must be restarted\n',
    )
  }
  const server = path === undefined ? undefined : await connect(path)
  return server ?? new FileAdministration(dataDir, defaultApplication())
}

/** As the settings in the environment say, which are those of a server started from here. */
function defaultApplication(): DefaultApplication {
  return { id: defaultId(), fixedKeys: fixedKeys(process.env), isOpen: false }
}
