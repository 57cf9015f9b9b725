/** How far a run is: a line that changes on a terminal, lines one below the other elsewhere. */
import { spinner } from '@clack/prompts'
import type { Step } from '../harness/rounds.ts'

/** Each frame takes the processor from what is measured for a moment. */
const FRAME_MS = 250

export interface Progress {
  begin(chapter: string): void
  /** Of what takes its time besides measuring. */
  tell(news: string): void
  step(step: Step): void
  /** Before the table of the chapter is printed. */
  end(): void
}

/** Progress on standard error, so that standard output has nothing but tables. */
export function openProgress(): Progress {
  return process.stderr.isTTY ? new Line() : new Lines()
}

class Line implements Progress {
  #spinner: ReturnType<typeof spinner> | undefined
  #chapter = ''
  #measurements = 0

  begin(chapter: string): void {
    this.#chapter = chapter
    this.#measurements = 0
    this.#spinner = spinner({
      output: process.stderr,
      indicator: 'timer',
      delay: FRAME_MS,
      errorMessage: `${chapter}: stopped`,
    })
    this.#spinner.start(chapter)
    // The spinner reads keys one by one and would end the process by itself at Ctrl-C, with status 0.
    if (process.stdin.isTTY) process.stdin.setRawMode(false)
  }

  tell(news: string): void {
    this.#spinner?.message(`${this.#chapter}: ${news}`)
  }

  step(step: Step): void {
    this.#measurements = step.of
    this.tell(stepText(step))
  }

  end(): void {
    this.#spinner?.stop(`${this.#chapter}: ${this.#measurements} measurements`)
  }
}

class Lines implements Progress {
  #chapter = ''
  #start = 0

  begin(chapter: string): void {
    this.#chapter = chapter
    this.#start = performance.now()
  }

  tell(news: string): void {
    process.stderr.write(`${this.#chapter}: ${news}\n`)
  }

  step(step: Step): void {
    this.tell(stepText(step))
  }

  end(): void {
    this.tell(`${Math.round((performance.now() - this.#start) / 1000)} s`)
  }
}

function stepText({ name, number, of }: Step): string {
  return `${number} of ${of}, ${name}`
}
