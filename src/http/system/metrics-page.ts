/** Metrics in the text format of Prometheus. */
export interface PrintedMetrics {
  readonly text: string
  /** Value of the header `Content-Type`. */
  readonly contentType: string
}

/** Source of the metrics that `/metrics` serves. */
export interface MetricsPage {
  print(): Promise<PrintedMetrics>
}
