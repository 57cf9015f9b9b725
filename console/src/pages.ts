import type { PageDefinition } from './shell/page.ts'

/** Every page, in the order of the navigation. */
export const PAGES: readonly PageDefinition[] = [
  {
    name: 'tree',
    title: 'Tree',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./tree/tree-page.tsx').then(({ TreePage }) => TreePage),
  },
]
