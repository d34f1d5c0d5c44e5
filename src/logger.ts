/** The methods of a logger that the layers below http/ call; pino's loggers have them. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
