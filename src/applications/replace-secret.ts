import type { ApplicationParts } from './application.ts'

/** Replaces the secret of an open application, and ends the streams that the old secret authorized. */
export function replaceSecret(
  { authenticator, database }: Pick<ApplicationParts, 'authenticator' | 'database'>,
  secret: string,
): void {
  authenticator.rotate(secret)
  database.revoke()
}
