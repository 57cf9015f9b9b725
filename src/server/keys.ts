import { type KeptSecret, keepSecret, secretFile, smsKeyFile } from '../data-folder/secret-file.ts'
import type { KeyName } from '../engines/application-keys.ts'
import type { Config } from './config/settings.ts'
import { isForPeople, type Logger } from './logging/log.ts'

/** The keys of the default application. */
export interface Keys {
  readonly secret: KeptSecret
  readonly smsKey: KeptSecret
}

/** Keys of the settings; missing keys are generated once and kept in files. */
export function keysOf({ DATA_DIR, APP_ID, APP_SECRET, SMS_KEY }: Config): Keys {
  return {
    secret: fixed(APP_SECRET) ?? keepSecret(secretFile(DATA_DIR, APP_ID)),
    smsKey: fixed(SMS_KEY) ?? keepSecret(smsKeyFile(DATA_DIR, APP_ID)),
  }
}

/** Prints generated keys on a terminal. Elsewhere they stay in their files, because others may read the output. */
export function showKeys(config: Config, { secret, smsKey }: Keys, logger: Logger): void {
  const { DATA_DIR, APP_ID } = config
  const shown = [
    ['secret', secret, secretFile(DATA_DIR, APP_ID)],
    ['sms', smsKey, smsKeyFile(DATA_DIR, APP_ID)],
  ] as const
  for (const [name, key, file] of shown) if (key.fresh) showKey(config, name, key.secret, file, logger)
}

/** Prints one generated key, as `showKeys`. @param place where it is kept */
export function showKey(config: Config, name: KeyName, key: string, place: string, logger: Logger): void {
  const what = `${name === 'secret' ? 'super secret' : 'SMS key'} of application "${config.APP_ID}"`
  const isShown = process.stdout.isTTY && isForPeople(config.LOG_FORMAT)
  if (!isShown) logger.info(`made the ${what}: it is kept in ${place}`)
  else process.stdout.write(`${what}, shown only now: ${key}\nit is kept in ${place}\n`)
}

function fixed(secret: string | undefined): KeptSecret | undefined {
  return secret === undefined ? undefined : { secret, fresh: false }
}
