import type { PageDefinition } from './shell/page.ts'

/** Every page, in the order of the navigation. */
export const PAGES: readonly PageDefinition[] = [
  {
    name: '',
    title: 'Home',
    isOfApplication: false,
    isForApplications: true,
    load: () => import('./home/home-page.tsx').then(({ HomePage }) => HomePage),
  },
  {
    name: 'tree',
    title: 'Tree',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./tree/tree-page.tsx').then(({ TreePage }) => TreePage),
  },
  {
    name: 'rules',
    title: 'Rules',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./rules/rules-page.tsx').then(({ RulesPage }) => RulesPage),
  },
  {
    name: 'tokens',
    title: 'Tokens',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./tokens/tokens-page.tsx').then(({ TokensPage }) => TokensPage),
  },
  {
    name: 'streams',
    title: 'Streams',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./streams/streams-page.tsx').then(({ StreamsPage }) => StreamsPage),
  },
  {
    name: 'indexes',
    title: 'Indexes',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./indexes/indexes-page.tsx').then(({ IndexesPage }) => IndexesPage),
  },
  {
    name: 'messages',
    title: 'Text messages',
    isOfApplication: true,
    isForApplications: true,
    load: () => import('./messages/messages-page.tsx').then(({ MessagesPage }) => MessagesPage),
  },
  {
    name: 'applications',
    title: 'Applications',
    isOfApplication: false,
    isForApplications: true,
    load: () => import('./applications/applications-page.tsx').then(({ ApplicationsPage }) => ApplicationsPage),
  },
  {
    name: 'backups',
    title: 'Backups',
    isOfApplication: false,
    isForApplications: false,
    load: () => import('./backups/backups-page.tsx').then(({ BackupsPage }) => BackupsPage),
  },
]
