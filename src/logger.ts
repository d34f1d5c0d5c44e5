/** The methods of a logger that code outside of http/ calls. Loggers of pino have them. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
