import { smsKeyFile } from '../../data-folder/secret-file.ts'
import { signatureOf, signedText } from '../../sms/model/signature.ts'
import { isSource, tokenOf } from '../../sms/model/source.ts'
import { checkAppFlag } from '../connect/app-flag.ts'
import { keyOf } from '../connect/keys.ts'
import { readText } from '../terminal/input.ts'
import { shown } from '../terminal/shown.ts'

/** The application whose key signs. */
export interface KeyChoice {
  readonly app: string
  readonly dataDir: string
  /** Whether it is the default application, whose key can be a setting. */
  readonly isDefault: boolean
}

/**
 * Signs the parameters of a request.
 * @param body file whose text is the parameter `body`; `-` is standard input
 * @returns the signature, and the signed text without the key
 * @throws Error for a wrong parameter, or without a key
 * @see docs/reference/protocol.md#signing
 */
export async function sign(
  given: readonly string[],
  body: string | undefined,
  choice: KeyChoice,
): Promise<{ readonly signature: string; readonly text: string }> {
  const parameters = parametersOf(given)
  if (body !== undefined) {
    if (parameters.has('body')) throw new Error('--body: the parameter body is given already')
    parameters.set('body', await readText(body))
  }
  if (parameters.size === 0) throw new Error('nothing to sign: give parameters such as timestamp=1492675740231')
  return { signature: signatureOf(parameters, await signingKey(choice)), text: signedText(parameters) }
}

/** Token of a source of delivery receipts. @throws Error for an invalid name, or without a key */
export async function tokenFor(source: string, choice: KeyChoice): Promise<string> {
  if (!isSource(source)) {
    throw new Error(`${shown(source)} cannot name a source: 1 to 64 letters, digits, _ . and -`)
  }
  return tokenOf(source, await signingKey(choice))
}

function parametersOf(given: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const parameter of given) {
    const end = parameter.indexOf('=')
    if (end < 1) throw new Error(`${shown(parameter)}: expected name=value`)
    const name = parameter.slice(0, end)
    if (parameters.has(name)) throw new Error(`${shown(name)} is given twice`)
    parameters.set(name, parameter.slice(end + 1))
  }
  return parameters
}

/** The setting for the default application; else the key that is kept. */
async function signingKey({ app, dataDir, isDefault }: KeyChoice): Promise<string> {
  const key = process.env['SMS_KEY']
  if (key && isDefault) return key
  checkAppFlag(app)
  const kept = await keyOf('smsKey', { app, dataDir })
  if (kept !== undefined) return kept
  throw new Error(`no SMS key: set SMS_KEY, or name --app and --data-dir: there is no ${smsKeyFile(dataDir, app)}`)
}
