import type { ComponentType } from 'preact'

/** What a page gets. */
export interface PageProps {
  /** The chosen application; '' for pages of the whole server. */
  readonly application: string
  /** Segments of the address behind the page and the application, unescaped. */
  readonly rest: readonly string[]
  /** Parameters of the address. */
  readonly search: URLSearchParams
}

/** One page of the console. */
export interface PageDefinition {
  /** First segment of its address; '' is the home page. */
  readonly name: string
  /** Its name in the navigation, and its heading. */
  readonly title: string
  /** Whether its address names an application behind the page: `/console/NAME/APPLICATION/…`. */
  readonly isOfApplication: boolean
  /** Whether the session of one application may open it too; else only the operator. */
  readonly isForApplications: boolean
  /** Loads its component, in a chunk of its own. */
  readonly load: () => Promise<ComponentType<PageProps>>
}
