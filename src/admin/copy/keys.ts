import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { Registry } from '../registry.ts'

/**
 * Copies the keys of an application and its registration, with its settings. They are files of a data folder, also for an
 * application whose tree is in a database: those of the folder of its servers.
 * @param from folder of the servers of the source @param to folder of the servers of the target
 * @throws Error when the target has other keys or settings
 */
export function copyKeys(from: string, to: string, id: string): void {
  if (resolve(from) === resolve(to)) return
  for (const fileOf of [secretFile, smsKeyFile]) {
    const [kept, target] = [fileOf(from, id), fileOf(to, id)]
    if (!existsSync(kept)) continue
    if (!existsSync(target)) writeSecret(target, readSecret(kept))
    else if (readFileSync(target, 'utf8').trim() !== readSecret(kept)) throw new Error(`${target} is another key`)
  }
  const settings = new Registry(from).settings(id)
  const registry = new Registry(to)
  if (settings === undefined || Bun.deepEquals(settings, registry.settings(id))) return
  if (registry.has(id)) throw new Error(`"${id}" has other settings in ${to}`)
  registry.put(id, settings)
}
