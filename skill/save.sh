printf '%s=%q\n' X "$X" Y "$Y" ROWS "$ROWS" PLAN "$PLAN" > "$CP/drawing" && echo "Your drawing is saved."
