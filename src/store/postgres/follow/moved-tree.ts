import { movedText } from '../../rows/copy/moved-text.ts'
import type { AppliedTree } from '../applied-tree.ts'
import { whereMoved } from '../commit/tree-head.ts'
import type { Lanes } from '../connection/lanes.ts'

interface MovedParts {
  readonly lanes: Lanes
  readonly tree: AppliedTree
  readonly application: string
  /** Ends background work. */
  readonly ends: readonly (() => Promise<void>)[]
  onTroubled(error: unknown): void
}

/** Ends what goes on in a tree when it is moved elsewhere, and logs where it went. */
export function followMove({ lanes, tree, application, ends, onTroubled }: MovedParts): void {
  tree.onMoved(() => {
    for (const end of ends) void end()
    whereMoved(lanes, tree.tree)
      .then((to) => onTroubled(new Error(`application "${application}": ${movedText(to ?? 'another place')}`)))
      .catch(onTroubled)
  })
}
