import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Certificate, ownCertificate } from '../../src/server/tls/certificate.ts'
import { certificateNames } from '../../src/server/tls/own-names.ts'

const NAMES = certificateNames({ HOST: '127.0.0.1' })
const USER = userInfo().uid
const FOLDER = join(tmpdir(), `dhole-tests-tls-${USER}`)

let known: Promise<Certificate> | undefined

/**
 * The certificate of servers in test processes and of those that they start, trusted by their own clients only. All test
 * processes of this user share it: to make one costs as much as all else that starts a server.
 */
export function sharedCertificate(): Promise<Certificate> {
  known ??= keptOrMade()
  return known
}

/** Puts it where a server keeps its own, as if an earlier run had made it. What is there stays. */
export async function keepCertificate(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'tls')
  if (existsSync(folder)) return
  const { cert, key } = await sharedCertificate()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'certificate-key.pem'), key, { mode: 0o600 })
  writeFileSync(join(folder, 'certificate.pem'), cert)
}

async function keptOrMade(): Promise<Certificate> {
  if (statSync(FOLDER, { throwIfNoEntry: false })?.uid === USER) {
    const { isNew, ...kept } = await ownCertificate(FOLDER, NAMES)
    if (!isNew) return kept
  }
  // Other processes see either none or both of its files.
  const made = mkdtempSync(`${FOLDER}-`)
  const { cert, key } = await ownCertificate(made, NAMES)
  rmSync(FOLDER, { recursive: true, force: true })
  try {
    renameSync(made, FOLDER)
  } catch {
    // Another process was first, or another user has the name.
    rmSync(made, { recursive: true, force: true })
  }
  return { cert, key }
}
