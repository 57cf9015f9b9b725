import type { ApplicationSettings } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'

/** A key of an application: the super secret, or the key that signs calls about text messages. */
export type KeyName = 'secret' | 'sms'

/** Keys that settings fix. */
export interface FixedKeys {
  readonly secret?: string | undefined
  readonly smsKey?: string | undefined
}

/** The keys of an open application. */
export interface ApplicationKeys {
  readonly secret: string
  /** Key that signs calls about text messages. @throws Error when it cannot be read */
  smsKey(): string
}

/** What an open application hears of its registration. */
export interface KeysListener {
  /** Its keys were replaced, here or by another process. */
  onKeys(keys: ApplicationKeys): void
  /** It was removed, or has other settings: it must be closed, and is found anew by the next request. */
  onOutdated(): void
}

/** The keys of one application that is open. */
export interface OpenKeys {
  /**
   * The keys. Missing ones are made and kept. Called once.
   * @param settings of its registration with which it is being opened; `undefined` for an application of the options
   * @throws Error when they cannot be read, or fixed ones are wrong; `SettingsChanged`
   */
  read(fixed: FixedKeys, settings?: ApplicationSettings): Awaitable<ApplicationKeys>
  /**
   * Calls a listener for every change since `read`.
   * @throws `app-unknown` when the application was removed meanwhile; `SettingsChanged`
   */
  follow(listener: KeysListener): void
}

/** The settings that an application is being opened with are not those of its registration any more. */
export class SettingsChanged extends Error {}

/** A key of the settings is not the one that other processes use. */
export class WrongKey extends Error {
  readonly key: KeyName

  constructor(application: string, key: KeyName) {
    const name = key === 'secret' ? 'super secret' : 'SMS key'
    super(
      `it is not the ${name} of application "${application}" in the database: ` +
        'set the same on every process, or replace the one in the database with `dhole apps rotate`',
    )
    this.key = key
  }
}
