/** The configuration cannot be used; the message is for whoever starts the server, one line for each thing that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
