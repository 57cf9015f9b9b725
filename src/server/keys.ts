import { type KeptSecret, keepSecret, secretFile, smsKeyFile } from '../data-folder/secret-file.ts'
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
  const isShown = process.stdout.isTTY && isForPeople(config.LOG_FORMAT)
  const shown = [
    ['super secret', secret, secretFile(DATA_DIR, APP_ID)],
    ['SMS key', smsKey, smsKeyFile(DATA_DIR, APP_ID)],
  ] as const
  for (const [name, key, file] of shown) {
    if (!key.fresh) continue
    if (!isShown) logger.info(`made the ${name} of application "${APP_ID}": it is kept in ${file}`)
    else
      process.stdout.write(`${name} of application "${APP_ID}", shown only now: ${key.secret}\nit is kept in ${file}\n`)
  }
}

function fixed(secret: string | undefined): KeptSecret | undefined {
  return secret === undefined ? undefined : { secret, fresh: false }
}
