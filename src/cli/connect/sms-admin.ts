import { existsSync } from 'node:fs'
import { socketPath } from '../../admin/control/command.ts'
import { connect } from '../../admin/control/control-client.ts'
import { Registry } from '../../admin/registry.ts'
import { type MessageDesk, OpenDesk } from '../../admin/sms-admin.ts'
import { isApplicationId } from '../../applications/application-id.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import type { MessagesOptions } from '../../options.ts'
import { readConfig } from '../../server/config/config.ts'
import { defaultId } from './default-id.ts'

/** Which application a command is about. */
export interface DeskChoice {
  readonly app: string
  readonly dataDir: string
}

/**
 * Does something to the messages of an application, through the server that runs on the folder or in its file.
 * @throws Error when there is no such application, or a server is there and does not answer
 */
export async function atDesk<T>({ app, dataDir }: DeskChoice, action: (desk: MessageDesk) => Promise<T>): Promise<T> {
  if (!isApplicationId(app)) throw new Error(`--app: ${JSON.stringify(app)} is no name of an application`)
  const path = socketPath(dataDir)
  const server = path === undefined ? undefined : await connect(path)
  if (server !== undefined) return action(server.desk(app))
  const registered = new Registry(dataDir).settings(app)
  // The first start of a server makes the default one; to open any other would make it.
  if (registered === undefined && !(app === defaultId() && existsSync(treeFile(dataDir, app)))) {
    throw new Error(`there is no application "${app}" in ${dataDir}`)
  }
  // What a server is made of is read only when there is none.
  const { openMessages } = await import('../../dhole.ts')
  const { messages, close } = openMessages(dataDir, app, { ...serverSettings(), ...registered?.sms })
  try {
    return await action(new OpenDesk(messages))
  } finally {
    await close()
  }
}

/** As the settings in the environment say, which are those of a server started from here. */
function serverSettings(): MessagesOptions {
  const { SMS_TIME_ZONE, SMS_MOBILE, SMS_RETENTION_DAYS, SMS_INTERVAL_MS } = process.env
  const config = readConfig({ SMS_TIME_ZONE, SMS_MOBILE, SMS_RETENTION_DAYS, SMS_INTERVAL_MS })
  return {
    timeZone: config.SMS_TIME_ZONE,
    mobile: config.SMS_MOBILE,
    retentionDays: config.SMS_RETENTION_DAYS,
    intervalMs: config.SMS_INTERVAL_MS,
  }
}
