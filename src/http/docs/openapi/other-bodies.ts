import type { ExampleObject } from './schemas.ts'

type Examples = Readonly<Record<string, ExampleObject>>

/** Rules to begin with. Each can be written as it stands. */
export const rulesExamples: Examples = {
  users: {
    summary: 'Public reads; users write their own data, in a fixed shape',
    value: {
      rules: {
        '.read': true,
        users: {
          $uid: {
            '.write': 'auth !== null && auth.uid === $uid',
            '.validate': "newData.hasChildren(['name'])",
            name: { '.validate': 'newData.isString() && newData.val().length <= 64' },
            age: { '.validate': 'newData.isNumber() && newData.val() >= 0' },
            seen: { '.validate': 'newData.val() === now' },
            $other: { '.validate': false },
          },
        },
      },
    },
  },
  chat: {
    summary: 'Members of a room read and write in it; what is said stays; two orders are indexed',
    value: {
      rules: {
        members: { '.read': 'auth !== null' },
        messages: {
          $room: {
            '.read': "root.child('members').child($room).hasChild(auth.uid)",
            '.indexOn': ['time', 'from'],
            $message: {
              '.write': "!data.exists() && root.child('members').child($room).hasChild(auth.uid)",
              '.validate': "newData.hasChildren(['from', 'text', 'time']) && newData.child('from').val() === auth.uid",
            },
          },
        },
      },
    },
  },
  claims: {
    summary: 'Claims decide: editors write, signed-in users read at most 100 at once',
    value: {
      rules: {
        articles: {
          '.read': 'auth !== null && query.orderByKey && query.limitToFirst <= 100',
          '.write': 'auth !== null && auth.token.editor === true',
        },
      },
    },
  },
  open: { summary: 'Public reads and writes', value: { rules: { '.read': true, '.write': true } } },
  locked: { summary: 'Administrators only', value: { rules: {} } },
}

/** Values of the size. */
export const writeSizeExamples: Examples = {
  large: { summary: 'The default', value: 'large' },
  small: { summary: 'Refuses writes that take longer than ten seconds', value: 'small' },
}

/** A custom token for `alice`, signed with the secret `change me: a secret`. */
const CUSTOM_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ2IjoxLCJpYXQiOjE3MDAwMDAwMDAsInVpZCI6ImFsaWNlIiwiY2xhaW1zIjp7InRlYW0iOiJyZWQifX0._b6Bl1SRjakYpyccMJj_hCom8V7EOR-xoZsath2nELg'
const ID_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ2IjoxLCJpc3MiOiJkaG9sZSIsImF1ZCI6ImFwcCIsInN1YiI6ImFsaWNlIiwidWlkIjoiYWxpY2UiLCJwcm92aWRlciI6ImN1c3RvbSIsImNsYWltcyI6eyJ0ZWFtIjoicmVkIn0sImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAzNjAwfQ.OWq-Un1BJBJhnBvueAb_aofJQgaYMe77XDE1e_t3IdI'

/** What the exchange of a token is asked and answers. */
export const exchangeExamples: { readonly asked: Examples; readonly answered: Examples } = {
  asked: { alice: { summary: 'A custom token of the user alice', value: { token: CUSTOM_TOKEN } } },
  answered: { alice: { summary: 'Good for an hour', value: { idToken: ID_TOKEN, expireIn: 3600 } } },
}
