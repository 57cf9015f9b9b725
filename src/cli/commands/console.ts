import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { newSecret, operatorSecretFile, readSecret, writeSecret } from '../../data-folder/secret-file.ts'
import { readConfig } from '../../server/config/config.ts'
import { connectServer } from '../connect/admin-client.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { print } from '../terminal/output.ts'

interface ConsoleFlags {
  readonly dataDir: string
}

/** The commands `dhole console …`. @see docs/how-to/console.md */
export function consoleCommand(): Command {
  const command = new Command('console').description('show or replace the secret of the operator for the console')
  command
    .command('secret')
    .description('print the secret that the console asks the operator for')
    .addOption(dataDirOption())
    .action(({ dataDir }: ConsoleFlags) => print(fixedSecret() ?? readSecret(secretFile(dataDir))))
  command
    .command('rotate')
    .description('replace it, end all sessions of the operator, and print the new one')
    .addOption(dataDirOption())
    .action(async ({ dataDir }: ConsoleFlags) => print(await rotated(dataDir)))
  return command
}

async function rotated(dataDir: string): Promise<string> {
  const server = await connectServer(dataDir)
  if (server !== undefined) return await server.call('rotate-operator-secret', {})
  if (fixedSecret() !== undefined) throw new Error('the setting OPERATOR_SECRET fixes it: change it there')
  const file = secretFile(dataDir)
  const fresh = newSecret()
  writeSecret(file, fresh)
  return fresh
}

/** The secret of the environment, if it fixes one. */
function fixedSecret(): string | undefined {
  const { OPERATOR_SECRET, OPERATOR_SECRET_FILE } = process.env
  return readConfig({ OPERATOR_SECRET, OPERATOR_SECRET_FILE }).OPERATOR_SECRET
}

/** @throws Error when there is none */
function secretFile(dataDir: string): string {
  const file = operatorSecretFile(dataDir)
  if (!existsSync(file)) throw new Error(`there is no ${file}: the first start of a server makes it`)
  return file
}
