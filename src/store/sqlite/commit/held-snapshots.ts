import { setScanning } from '../file/connection.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'

/** Snapshots of exports, which last as long as their callers take the pieces, but not longer than the store. */
export class HeldSnapshots {
  readonly #snapshots: Snapshots
  readonly #releases = new Set<() => void>()

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  /** @returns releases the snapshot; may be called more than once */
  hold(snapshot: Snapshot): () => void {
    this.#snapshots.retain(snapshot)
    setScanning(snapshot.connection, true)
    const release = () => {
      if (!this.#releases.delete(release)) return
      setScanning(snapshot.connection, false)
      this.#snapshots.release(snapshot)
    }
    this.#releases.add(release)
    return release
  }

  releaseAll(): void {
    for (const release of this.#releases) release()
  }
}
