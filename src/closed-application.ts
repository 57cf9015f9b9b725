import { readSecret, smsKeyFile } from './data-folder/secret-file.ts'
import type { Database } from './database/database.ts'
import { chooseEngine } from './engines/choose-engine.ts'
import { silentObserver } from './observer.ts'
import { LOCKED_RULES, OPEN_RULES, treeOn } from './open-tree.ts'
import { type ApplicationOptions, checkMessages, type DholeOptions, type MessagesOptions } from './options.ts'
import { defaultMessages, Messages, type MessagesParts } from './sms/messages.ts'

/** Settings of an application that this process does not serve. */
export interface ClosedSettings extends Pick<DholeOptions, 'database'> {
  readonly sms?: MessagesOptions
  /** Read when the tree is first used. */
  readonly tree?: () => ApplicationOptions
}

/** An application that this process does not serve. Tree and messages share one storage. */
export interface ClosedApplication {
  readonly database: Database
  readonly messages: Messages
  close(): Promise<void>
}

/** @throws Error when the storage is in use, damaged or cannot be reached, TypeError for wrong settings */
export async function openClosedApplication(
  dataDir: string,
  id: string,
  { sms = {}, tree = () => ({}), database: server }: ClosedSettings,
): Promise<ClosedApplication> {
  checkMessages('', sms)
  const engine = chooseEngine(dataDir, server === undefined ? {} : { database: server })
  const storage = await engine.open(id, {}, silentObserver)
  const parts: MessagesParts = {
    openStore: (format) => storage.messages(format),
    readKey: () => readSecret(smsKeyFile(dataDir, id)),
    onError: () => {},
  }
  let database: Database | undefined
  let messages: Messages | undefined
  return {
    get database() {
      database ??= closedTree()
      return database
    },
    get messages() {
      messages ??= new Messages(parts, { ...defaultMessages, ...sms })
      return messages
    },
    close: async () => {
      messages?.close()
      await (database ?? storage.tree).close()
      await engine.close()
    },
  }

  function closedTree(): Database {
    const { open, rules, limits } = tree()
    const initial = { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: false }
    return treeOn(storage, engine.placeOf(id), limits === undefined ? {} : { limits }, initial)
  }
}
