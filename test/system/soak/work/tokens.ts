import { customToken } from '../../../support/token.ts'
import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import { type Scene, SECRET } from '../scene.ts'

const USERS = 300
const ADDRESSES = 200_000

/** Credentials of all kinds, each seldom shown twice; those that are no good come from many addresses. */
export function tokenWork(scene: Scene, random: Random): readonly Kind[] {
  let made = 0
  const user = () => `u${random.below(USERS)}`
  const token = (uid: string) =>
    random.chance(0.5)
      ? customToken(SECRET, { uid, claims: { number: made++ } })
      : customToken(SECRET, { d: { uid, number: made++ } })

  const show = async (): Promise<void> => {
    const uid = user()
    const auth = token(uid)
    const target = `/users/${uid}.json`
    await scene.ask('http2', 'PUT', `${target}?auth=${auth}`, { body: JSON.stringify({ seen: random.below(1000) }) })
    await scene.ask('http1', 'GET', target, { headers: { Authorization: `Bearer ${auth}` } })
  }
  const exchange = async (): Promise<void> => {
    const uid = user()
    const body = JSON.stringify({ token: token(uid) })
    const { text } = await scene.ask('http1', 'POST', '/.auth/customTokenToIdToken.json', { body })
    const { idToken } = JSON.parse(text) as { idToken: string }
    await scene.ask('http2', 'GET', `/users/${uid}.json?auth=${idToken}`)
  }
  const guess = async (): Promise<void> => {
    const auth = random.chance(0.5)
      ? 'a wrong secret of nobody'
      : customToken('of another application', { uid: user() })
    const number = random.below(ADDRESSES)
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    const headers = { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' }
    const target = `/users/${user()}.json?auth=${encodeURIComponent(auth)}`
    await scene.ask('http1', 'GET', target, { headers, expect: [401] })
  }
  return [
    { name: 'token shown', perDay: 36_000, most: 10, run: show },
    { name: 'token exchanged', perDay: 4_000, most: 5, run: exchange },
    { name: 'wrong credential', perDay: 8_000, most: 5, run: guess },
  ]
}
