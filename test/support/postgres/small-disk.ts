import { programs } from './programs.ts'

/** A test process that is killed cannot end it. */
const LONGEST_RUN = '2400'
const MOST_TRIES = 100
const NAMESPACE = ['unshare', '--mount', '--propagation', 'private'] as const

/** Why tests with a disk of their own are skipped; `undefined` when they run. For the name of a skipped test. */
export const whyNoSmallDisk = reason()

function reason(): string | undefined {
  if (programs() === undefined) return 'no PostgreSQL is installed'
  if (Bun.which('unshare') === null || Bun.which('nsenter') === null) return 'no unshare or nsenter is installed'
  const tried = Bun.spawnSync([...NAMESPACE, 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', '/mnt'])
  return tried.exitCode === 0 ? undefined : 'file systems cannot be mounted here'
}

/** A small file system in memory that only the programs started `through` it see. It is gone with its process. */
export class SmallDisk {
  /** Command that starts the one that follows it where the file system is seen. */
  readonly through: readonly string[]
  readonly #holder: Bun.Subprocess
  readonly #folder: string
  readonly #megabytes: number

  private constructor(holder: Bun.Subprocess, folder: string, megabytes: number) {
    this.#holder = holder
    this.#folder = folder
    this.#megabytes = megabytes
    this.through = ['nsenter', '--target', String(holder.pid), '--mount']
  }

  /** Mounts one on an empty folder. @param owner number of its user */
  static async mount(folder: string, megabytes: number, owner: number): Promise<SmallDisk> {
    const options = `size=${megabytes}m,mode=0700,uid=${owner},gid=${owner}`
    const script = 'mount -t tmpfs -o "$1" none "$2" && echo mounted && exec sleep "$3"'
    const holder = Bun.spawn([...NAMESPACE, 'sh', '-c', script, 'sh', options, folder, LONGEST_RUN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    holder.unref()
    const { value } = await holder.stdout.getReader().read()
    if (value === undefined) throw new Error('the file system was not mounted')
    return new SmallDisk(holder, folder, megabytes)
  }

  /** Leaves no room: its size becomes what is used. */
  async fill(): Promise<void> {
    // What is written between the two steps does not fit any more.
    const resize = 'mount -o remount,size="$(df -k --output=used "$1" | tail -n 1 | tr -d " ")"k "$1"'
    for (let tries = 0; (await this.#run(resize)) !== 0; tries++) {
      if (tries > MOST_TRIES) throw new Error('the file system was not filled')
    }
  }

  /** Gives the room back. */
  async free(): Promise<void> {
    if ((await this.#run(`mount -o remount,size=${this.#megabytes}m "$1"`)) !== 0) throw new Error('there is no room')
  }

  async end(): Promise<void> {
    this.#holder.kill('SIGKILL')
    await this.#holder.exited
  }

  #run(script: string): Promise<number> {
    const command = [...this.through, 'sh', '-c', script, 'sh', this.#folder]
    return Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] }).exited
  }
}
