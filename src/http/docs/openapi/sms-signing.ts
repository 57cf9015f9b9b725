import { signatureOf } from '../../../sms/model/signature.ts'
import { EXAMPLE_KEY } from './sms-examples.ts'

const TIME = '1492675740231'
const SIGNATURE = signatureOfText(`timestamp=${TIME}`)

/** Parameters without the key, as they are signed, for those who write the signing themselves. */
const SIGNED: readonly string[] = [
  `timestamp=${TIME}`,
  'rrid=e97539af58f44a0092',
  `mobile=13800138000&templateId=100000&timestamp=${TIME}`,
  `mobiles=["13800138000","13900139000"]&params=["小王","123456"]&templateId=100001&timestamp=${TIME}`,
]

function signatureOfText(text: string): string {
  return signatureOf(new URLSearchParams(text), EXAMPLE_KEY)
}

/** What the calls about text messages are, and how they are signed. */
export const SMS_DESCRIPTION = `What became of text messages that other software has sent. Nothing is sent from here.

A call is below \`/api/v1\` or \`/api/v2\`, names the application in its path, and carries no credential of the tree: it
is signed with a key of its own, the \`SMS_KEY\` of the application.

1. Take all parameters that are sent but \`signature\`, as they are meant: in UTF-8, with nothing escaped.
2. Sort them by name, A to Z, capitals as small letters.
3. Write \`name=value\` for each, \`&\` between them, then \`&\` and the key.
4. The signature is the SHA-256 of that text, in 64 hex digits.

For example, with the key \`${EXAMPLE_KEY}\`, which signs all examples here,

\`\`\`sh
printf '%s' 'timestamp=${TIME}&${EXAMPLE_KEY}' | openssl dgst -sha256
\`\`\`

prints

\`\`\`
${SIGNATURE}
\`\`\`

so that the parameters of \`GET /api/v2/app/status\` are

\`\`\`
timestamp=${TIME}
signature=${SIGNATURE}
\`\`\`

Sent today they are answered 70203: their time is past. More to check a program with, \`&\` and the key left out:

${SIGNED.map((text) => `- \`${text}\`  \n  \`${signatureOfText(text)}\``).join('\n')}

Parameters stand in the query string or, with POST, in a form too; one that is given more than once must have the same
value everywhere. Those that mean nothing here are signed like the others. Errors have the same body as those of the
tree, and a call that is not documented gets 70002 with 404.`
