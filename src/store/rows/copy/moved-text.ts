/**
 * What is said of a tree that `dhole copy` has marked as moved. A copy that is killed right behind the mark is not opened
 * yet: then the tree is served nowhere, and only the same command opens its copy.
 * @param to where it went
 */
export function movedText(to: string): string {
  return `it was moved to ${to}: serve it from there, or run the same \`dhole copy\` again if its copy there is not complete`
}
