import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'

const SOURCE = Bun.fileURLToPath(new URL('./broken-disk.c', import.meta.url))

/** What can be wrong with a disk. */
type DiskFault = 'full' | 'sync' | 'checkpoint'

/** Builds what stands between a server and its disk; `undefined` where there is no compiler, or this is not Linux. */
function build(): string | undefined {
  const library = join(tmpdir(), `dhole-broken-disk-${process.pid}.so`)
  const compiler = process.platform === 'linux' ? Bun.which('cc') : null
  if (compiler === null) {
    process.stderr.write('no C compiler, or no Linux: faults of the disk are not tried\n')
    return undefined
  }
  const { exitCode, stderr } = Bun.spawnSync([compiler, '-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'])
  if (exitCode !== 0) throw new Error(`cannot build ${SOURCE}:\n${stderr}`)
  process.on('exit', () => rmSync(library, { force: true }))
  return library
}

export const library = build()

/** A server whose disk can be broken and mended while it runs. */
export interface BrokenDiskServer extends ServerProcess {
  breakDisk(fault: DiskFault): void
  mendDisk(fault: DiskFault): void
}

/** @param faults folder for what is broken now */
export async function startOnBrokenDisk(
  faults: string,
  settings: Readonly<Record<string, string>>,
): Promise<BrokenDiskServer> {
  mkdirSync(faults, { recursive: true })
  const server = await spawnServer({ ...settings, LD_PRELOAD: library ?? '', FAULTS: faults })
  return {
    ...server,
    breakDisk: (fault) => writeFileSync(join(faults, fault), ''),
    mendDisk: (fault) => rmSync(join(faults, fault)),
  }
}
