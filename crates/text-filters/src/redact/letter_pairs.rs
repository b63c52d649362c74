//! Distinguishes random letters from words by the pairs of letters in them.

/// The letters that follow each letter from `a` to `z` in words of European languages. They were counted in
/// the distinct words of manual pages in twelve languages; a pair that is rarer than one in a thousand is
/// left out unless common English words have it.
const FOLLOWERS: [&str; 26] = [
    "abcdfghijklmnopqrstuvwxyz",
    "abeijlorsuy",
    "acehijklorstuyz",
    "adegijlnorsuyz",
    "abcdefghijklmnpqrstuvwxyz",
    "aefilortuy",
    "aeghilnorstu",
    "aeilnortuy",
    "abcdefgjklmnopqrstvxyz",
    "aeo",
    "aeiklnorstu",
    "adeiklmnopstuvy",
    "abeilmnopuy",
    "acdefghiklmnostuvyz",
    "abcdefgiklmnoprstuvwxyz",
    "aehiloprstu",
    "u",
    "abcdefgiklmnoprstuvwyz",
    "acefhiklmnopstuwyz",
    "aehilnorstuwyz",
    "abcdefgijklmnprstwxyz",
    "aeino",
    "aehinorsy",
    "aceipt",
    "abceilmnopstw",
    "aeinouwyz",
];
/// Divisor for the share of rare pairs from which letters are random. Two thirds of random pairs are rare,
/// and few of those in words.
const RARE_PAIR_DIVISOR: usize = 5;

/// Returns true if many pairs of neighbouring letters are rare in words. Other characters are no part of a
/// pair.
pub(super) fn has_rare_pairs(text: &str) -> bool {
    let bytes = text.as_bytes();
    let pairs = bytes.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let mut count = 0;
    let mut rare = 0;
    for pair in pairs {
        count += 1;
        rare += usize::from(is_rare(pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()));
    }
    count > 0 && RARE_PAIR_DIVISOR * rare >= count
}

fn is_rare(first: u8, second: u8) -> bool {
    let followers = FOLLOWERS.get(usize::from(first.wrapping_sub(b'a'))).copied().unwrap_or_default();
    !followers.as_bytes().contains(&second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_few_rare_pairs() {
        for word in [
            "incomprehensibilities",
            "counterrevolutionary",
            "internationalization",
            "Geschwindigkeitsbegrenzung",
            "anticonstitutionnellement",
            "responsabilidades",
            "precipitevolissimevolmente",
            "complementarycolours",
            "correcthorsebatterystaple",
            "",
        ] {
            assert!(!has_rare_pairs(word), "{word}");
        }
    }

    #[test]
    fn random_letters_have_many_rare_pairs() {
        for letters in
            ["qhxvkzmwplrtjdgfcnbs", "wkfjqzpxmvbtrhgd", "ZKQMXWPVJTRLHDGB", "rjxkqpwmzvtyblgfhdcn"]
        {
            assert!(has_rare_pairs(letters), "{letters}");
        }
    }
}
