/** What the service is run for. */
export type Environment = 'development' | 'test' | 'production';

/** Reads NODE_ENV. Any name but `development` and `test` is production, which `prod` and `staging` are meant to be. */
export const environmentOf = (name: string | undefined): Environment =>
  name === undefined || name === '' || name === 'development' ? 'development' : name === 'test' ? 'test' : 'production';
