import { readFileSync } from 'node:fs'
import { codeOf, messageOf } from '../../files/system-error.ts'

/** The text of a file that a setting names. @throws Error that names the setting */
export function textOf(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause)
    throw new Error(`${setting}: ${file}: ${reason}`, { cause })
  }
}
