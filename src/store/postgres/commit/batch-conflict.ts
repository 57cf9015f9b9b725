/** Another batch has the number, or the batch before it is not the one that this process has applied. */
export class BatchConflict extends Error {
  /** Whether it was not tried, because other processes queue. */
  readonly isBusy: boolean

  constructor(isBusy = false) {
    super(isBusy ? 'other processes write' : 'another batch was committed')
    this.isBusy = isBusy
  }
}
