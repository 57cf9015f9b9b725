import { EXAMPLE_KEY } from './sms-examples.ts'

const TIME = '1492675740231'
const SIGNATURE = '7d4f66d52f7a2cc312d13db17a39921a913873819e4ebe782c8e2b9d7b38e0fa'

/** Texts without the key, and their signatures, for those who write the signing themselves. */
const SIGNED: readonly (readonly [text: string, signature: string])[] = [
  [`timestamp=${TIME}`, SIGNATURE],
  ['rrid=e97539af58f44a0092', 'd94a6b8560f8ab7178ad7b42283800918c5296bf2690705e5469322d0fc04fd8'],
  [
    `mobile=13800138000&templateId=100000&timestamp=${TIME}`,
    '159dd5bcc9beef1d8e4ee309d957b3bc701a93c68a9b994f19da40a4a4fff848',
  ],
  [
    `mobiles=["13800138000","13900139000"]&params=["小王","123456"]&templateId=100001&timestamp=${TIME}`,
    'f1cdc059353dae18bf449714165cd69ee14efedbe4c949bffb9b4ad81763dfa0',
  ],
]

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

${SIGNED.map(([text, signature]) => `- \`${text}\`  \n  \`${signature}\``).join('\n')}

Parameters stand in the query string or, with POST, in a form too; one that is given more than once must have the same
value everywhere. Those that mean nothing here are signed like the others. Errors have the same body as those of the
tree, and a call that is not documented gets 70002 with 404.`
