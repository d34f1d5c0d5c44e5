/** The part of a logger that the back end writes to; pino's fits. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
