import { factories } from 'mangrove';

export default factories.createCoreRouter('api::note.note');
