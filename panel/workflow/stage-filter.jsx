import { useIntl } from 'react-intl';
import { useSelector } from 'react-redux';
import { SingleSelect, SingleSelectOption } from '@strapi/design-system';
import { useQueryParams } from '@strapi/helper-plugin';
import { label } from '../texts.js';
import { StageDot } from './colored-stage.jsx';
import { stageIn, withStage } from './stage-filters.ts';
import { useWorkflow } from './use-workflow.js';

/** The filter of a list by stage. */
export function StageFilter() {
  const type = useSelector((state) => state['content-manager_listView']?.contentType);
  return type?.options?.workflow === undefined ? null : <Filter uid={type.uid} />;
}

function Filter({ uid }) {
  const { formatMessage } = useIntl();
  const [{ query }, setQuery] = useQueryParams();
  const { data } = useWorkflow(uid);
  if (data === undefined) return null;
  const filters = query?.filters?.$and ?? [];
  const names = data.stages.map(({ name }) => name);
  const choose = (stage) => setQuery({ page: 1, filters: { $and: withStage(filters, stage, names) } });
  return (
    <SingleSelect
      size="S"
      aria-label={formatMessage(label('workflow.stage'))}
      placeholder={formatMessage(label('workflow.all'))}
      value={stageIn(filters, names)}
      onChange={choose}
      onClear={() => choose('')}
    >
      {data.stages.map(({ name, color }) => (
        <SingleSelectOption key={name} value={name} startIcon={<StageDot $color={color} />}>
          {name}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
}
