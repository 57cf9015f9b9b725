import { Elysia } from 'elysia'

export function docsPlugin(_prefix: string): Elysia {
  return new Elysia()
}
