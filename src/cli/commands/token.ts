import { Command, Option } from 'commander'
import { isJsonObject, type JsonObject } from '../../auth/json-object.ts'
import { mintToken } from '../../auth/mint.ts'
import { secretFile } from '../../data-folder/secret-file.ts'
import { DholeError } from '../../error.ts'
import { parseDuration } from '../../server/config/duration.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
import { checkAppFlag, dataDirOption } from '../connect/app-flag.ts'

interface TokenFlags {
  readonly uid?: string
  readonly claims?: string
  readonly expiresIn?: string
  readonly admin?: true
  readonly debug?: true
  readonly secret?: string
  readonly app?: string
  readonly dataDir: string
}

/** The command `dhole token`: makes a custom token and prints nothing else. @see docs/reference/protocol.md#credentials */
export function tokenCommand(): Command {
  const command = new Command('token')
    .description('make a custom token for a user, signed with the super secret of an application')
    .option('--uid <name>', 'the user: 1 to 64 letters, digits and `-`')
    .option('--claims <json>', 'what rules see as `auth.token`, a JSON object')
    .option('--expires-in <time>', 'lifetime, such as 90s, 30m, 1h or 7d; a number is seconds (default: 24h)')
    .option('--admin', 'rules do not apply')
    .option('--debug', 'answers say which rule denied')
    .addOption(
      new Option('--secret <text>', 'the super secret; other users of the machine can see it').env('APP_SECRET'),
    )
    .option('--app <id>', 'the application whose generated secret is read from the data folder')
    .addOption(dataDirOption('folder of the generated secrets'))
  return command.action(async (flags: TokenFlags) => {
    const secret = await secretOf(flags, command.getOptionValueSource('secret') === 'cli')
    process.stdout.write(`${await tokenOf(flags, secret)}\n`)
  })
}

/** A flag wins over the environment. @throws Error when none is named, or it cannot be read */
async function secretOf({ secret, app, dataDir }: TokenFlags, isFlag: boolean): Promise<string> {
  if (isFlag && app !== undefined) throw new Error('--secret and --app are two secrets: give one')
  if (app === undefined) {
    if (secret) return secret
    throw new Error('no secret: give --app with --data-dir, --secret, or APP_SECRET in the environment')
  }
  checkAppFlag(app)
  const { keyOf } = await import('../connect/keys.ts')
  const kept = await keyOf('secret', { app, dataDir })
  if (kept !== undefined) return kept
  throw new Error(`there is no application "${app}" in ${dataDir}, or no ${secretFile(dataDir, app)}`)
}

async function tokenOf({ uid, claims, expiresIn, admin, debug }: TokenFlags, secret: string): Promise<string> {
  if (uid === undefined && admin === undefined) throw new Error('--uid: a token needs a user, or --admin')
  const options = {
    uid,
    claims: claims === undefined ? undefined : claimsOf(claims),
    expiresIn: expiresIn === undefined ? undefined : secondsOf(expiresIn),
    admin,
    debug,
  }
  try {
    return await mintToken(secret, options)
  } catch (thrown) {
    if (!(thrown instanceof DholeError)) throw thrown
    throw new Error('--uid must be 1 to 64 letters, digits and `-`; --claims must be short and nest little', {
      cause: thrown,
    })
  }
}

function claimsOf(text: string): JsonObject {
  const json = jsonOf(text)
  if (isJsonObject(json)) return json
  throw new Error('--claims: expected a JSON object such as {"role":"editor"}')
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text, 's')
  if (seconds !== undefined && seconds > 0) return seconds
  throw new Error(`--expires-in: expected a time such as 90s, 30m, 1h or 7d, found ${JSON.stringify(text)}`)
}
