import { readSecret, smsKeyFile } from './data-folder/secret-file.ts'
import type { Database } from './database/database.ts'
import type { Engine } from './engines/engine.ts'
import { SqliteEngine } from './engines/sqlite-engine.ts'
import { silentObserver } from './observer.ts'
import { LOCKED_RULES, OPEN_RULES, treeOn } from './open-tree.ts'
import { type ApplicationOptions, checkMessages, type MessagesOptions } from './options.ts'
import { defaultMessages, Messages, type MessagesParts } from './sms/messages.ts'

/** Settings of an application that this process does not serve. */
export interface ClosedSettings {
  readonly sms?: MessagesOptions
  /** Read when the tree is first used. */
  readonly tree?: () => ApplicationOptions
  /** Where it is stored; stays open. Default: files. */
  readonly engine?: Engine
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
  { sms = {}, tree = () => ({}), engine = new SqliteEngine(dataDir) }: ClosedSettings,
): Promise<ClosedApplication> {
  checkMessages('', sms)
  const storage = await engine.open(id, {}, silentObserver, false)
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
    },
  }

  function closedTree(): Database {
    const { open, rules, limits } = tree()
    const initial = { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: false }
    return treeOn(storage, engine.placeOf(id), limits === undefined ? {} : { limits }, initial)
  }
}
