import type { Application } from '../applications/application.ts'
import type { Applications } from '../applications/applications.ts'
import { DholeError } from '../error.ts'
import type { Administration } from './administration.ts'
import type { AdministeredApplication, AdminTarget } from './operation.ts'

/** Parts of a running server that admin operations use. */
export interface ServerParts
  extends Pick<AdminTarget, 'reload' | 'process' | 'server' | 'monitor' | 'streams' | 'connections' | 'backups'> {
  readonly administration: Administration
  readonly applications: Applications
}

/** A running server as the target of admin operations. */
export function serverTarget({ applications, ...parts }: ServerParts): AdminTarget {
  const open = async (id: string): Promise<AdministeredApplication> => {
    const application = await choose(applications, id)
    const { database, messages, authenticator } = application
    return { database, messages, authenticator, [Symbol.dispose]: application.hold() }
  }
  return { ...parts, open }
}

/** @throws Error when the application does not exist */
async function choose(applications: Applications, id: string): Promise<Application> {
  try {
    return await applications.choose(id, '')
  } catch (error) {
    if (!(error instanceof DholeError) || error.code !== 'app-unknown') throw error
    throw new DholeError('admin-unknown', `there is no application ${JSON.stringify(id)}`, { cause: error })
  }
}
