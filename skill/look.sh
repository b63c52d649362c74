: "${X:?set X, Y, ROWS and PLAN to your own drawing first}" "${Y:?set Y first}" "${ROWS:?set ROWS first}"
X2=$((X + $(printf %s "${ROWS%% *}" | wc -c) - 1)) Y2=$((Y + $(printf '%s\n' $ROWS | wc -l) - 1))
curl -sS --fail-with-body "{{ base_url }}/api/canvas/region?x1=$X&y1=$Y&x2=$X2&y2=$Y2&palette=false" | tee "$CP/region.json"
